#!/usr/bin/env bash
# Run by the PostgreSQL image on a new volume: a plain role that owns its database. The image's own role is a superuser,
# whom row-level security, the second wall between tenants, does not bind.
set -euo pipefail
psql --no-psqlrc --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres \
    --set=password="$(cat /run/secrets/svc_password)" <<'SQL'
CREATE ROLE svc LOGIN PASSWORD :'password';
CREATE DATABASE svc OWNER svc ENCODING 'UTF8' TEMPLATE template0;
REVOKE CONNECT ON DATABASE svc FROM PUBLIC;
SQL
