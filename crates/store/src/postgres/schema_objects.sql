-- All that our schema consists of, one row an object, in an order that does not depend on the collation. What belongs to
-- an extension is left out. Definitions are in the form that PostgreSQL prints, without the name of the schema.
WITH ours AS (
    SELECT oid FROM pg_namespace WHERE nspname = current_schema()
), extension AS (
    SELECT classid, objid FROM pg_depend WHERE deptype = 'e'
), relation AS (
    SELECT class.* FROM pg_class AS class JOIN ours ON class.relnamespace = ours.oid
    WHERE NOT EXISTS (SELECT 1 FROM extension WHERE classid = 'pg_class'::REGCLASS AND objid = class.oid)
), object AS (
    SELECT CASE relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view'
        WHEN 'S' THEN 'sequence' WHEN 'p' THEN 'partitioned table' WHEN 'f' THEN 'foreign table' ELSE 'type' END AS kind,
        relname::TEXT AS name,
        concat_ws(', ', (SELECT string_agg(concat_ws(' ', attname, format_type(atttypid, atttypmod),
            (SELECT 'COLLATE ' || collname FROM pg_collation WHERE oid = attcollation AND collname <> 'default'),
            CASE WHEN attnotnull THEN 'NOT NULL' END,
            'DEFAULT ' || pg_get_expr(adbin, adrelid, true),
            'IDENTITY ' || nullif(attidentity, '')::TEXT, 'GENERATED ' || nullif(attgenerated, '')::TEXT), ', ' ORDER BY attnum)
            FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
            WHERE attrelid = relation.oid AND attnum > 0 AND NOT attisdropped AND relkind <> 'S'),
            CASE WHEN relrowsecurity THEN 'ROW SECURITY' END, CASE WHEN relforcerowsecurity THEN 'FORCED' END,
            CASE WHEN relpersistence <> 'p' THEN 'NOT PERMANENT' END) AS definition
        FROM relation WHERE relkind NOT IN ('i', 'I', 't')
    UNION ALL SELECT 'index', relname, concat_ws(' ', pg_get_indexdef(indexrelid, 0, true),
        CASE WHEN NOT indisvalid THEN 'INVALID' END)
        FROM relation JOIN pg_index ON indexrelid = relation.oid
    UNION ALL SELECT 'constraint', concat(conrelid::REGCLASS, '.', conname), concat_ws(' ',
        pg_get_constraintdef(made.oid, true), CASE WHEN NOT convalidated THEN 'INVALID' END)
        FROM pg_constraint AS made
        WHERE contype <> 'n' AND (conrelid IN (SELECT oid FROM relation) OR confrelid IN (SELECT oid FROM relation))
    UNION ALL SELECT 'trigger', concat(tgrelid::REGCLASS, '.', tgname), concat_ws(' ',
        pg_get_triggerdef(made.oid, true), tgenabled)
        FROM pg_trigger AS made WHERE tgrelid IN (SELECT oid FROM relation) AND NOT tgisinternal
    UNION ALL SELECT 'rule', concat(ev_class::REGCLASS, '.', rulename), pg_get_ruledef(made.oid, true)
        FROM pg_rewrite AS made WHERE ev_class IN (SELECT oid FROM relation WHERE relkind <> 'v')
    UNION ALL SELECT 'policy', concat(polrelid::REGCLASS, '.', polname), concat_ws(' ', polcmd, polpermissive, polroles,
        pg_get_expr(polqual, polrelid, true), 'CHECK ' || pg_get_expr(polwithcheck, polrelid, true))
        FROM pg_policy WHERE polrelid IN (SELECT oid FROM relation)
    UNION ALL SELECT 'child table', inhrelid::REGCLASS::TEXT, concat('of ', inhparent::REGCLASS)
        FROM pg_inherits WHERE inhparent IN (SELECT oid FROM relation WHERE relkind = 'r')
    UNION ALL SELECT 'function', concat(proname, '(', pg_get_function_identity_arguments(made.oid), ')'),
        concat_ws(' ', format_type(prorettype, NULL), lanname, prokind, provolatile,
            CASE WHEN prosecdef THEN 'SECURITY DEFINER' END, proconfig, prosrc)
        FROM pg_proc AS made JOIN ours ON pronamespace = ours.oid JOIN pg_language AS language ON language.oid = prolang
        WHERE NOT EXISTS (SELECT 1 FROM extension WHERE classid = 'pg_proc'::REGCLASS AND objid = made.oid)
)
SELECT kind, name, regexp_replace(definition, '\s+', ' ', 'g') FROM object ORDER BY kind COLLATE "C", name COLLATE "C"
