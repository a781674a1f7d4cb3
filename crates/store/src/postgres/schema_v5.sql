-- Who wrote a fact, and the words of a statement. What was stored before this version has no writer.
ALTER TABLE fact ADD COLUMN writer TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE statement_text ADD COLUMN writer TEXT COLLATE "C" NOT NULL DEFAULT '';

-- How many facts are held of whom, and how many bytes their rows and words have, for the quotas. The triggers keep it
-- true, whatever adds or erases. It is counted by space because whoever writes has locked the space anyway.
CREATE TABLE storage_use (
    tenant TEXT COLLATE "C" NOT NULL,
    writer TEXT COLLATE "C" NOT NULL,
    space  BIGINT NOT NULL,
    facts  BIGINT NOT NULL,
    bytes  BIGINT NOT NULL,
    PRIMARY KEY (tenant, writer, space)
);

-- For this once the owner of the tables sees the rows of all tenants.
ALTER TABLE fact NO FORCE ROW LEVEL SECURITY;
ALTER TABLE statement_text NO FORCE ROW LEVEL SECURITY;
INSERT INTO storage_use (tenant, writer, space, facts, bytes)
    SELECT tenant, '', space, sum(facts), sum(bytes) FROM (
        SELECT tenant, space, 1 AS facts, octet_length(body) AS bytes FROM fact
        UNION ALL SELECT tenant, space, 0, octet_length(body) FROM statement_text
    ) AS held GROUP BY tenant, space;
ALTER TABLE fact FORCE ROW LEVEL SECURITY;
ALTER TABLE statement_text FORCE ROW LEVEL SECURITY;

ALTER TABLE storage_use ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON storage_use USING (tenant = current_setting('svc.tenant', true));

-- The argument of a trigger says what its table counts as a fact: 1 or 0.
CREATE FUNCTION storage_use_add() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO storage_use AS held (tenant, writer, space, facts, bytes)
        SELECT tenant, writer, space, count(*) * TG_ARGV[0]::BIGINT, sum(octet_length(body)) FROM added
        GROUP BY tenant, writer, space
        ON CONFLICT (tenant, writer, space)
        DO UPDATE SET facts = held.facts + excluded.facts, bytes = held.bytes + excluded.bytes;
    RETURN NULL;
END
$$;
CREATE FUNCTION storage_use_remove() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    UPDATE storage_use AS held SET facts = held.facts - gone.facts, bytes = held.bytes - gone.bytes
        FROM (SELECT tenant, writer, space, count(*) * TG_ARGV[0]::BIGINT AS facts, sum(octet_length(body)) AS bytes
              FROM removed GROUP BY tenant, writer, space) AS gone
        WHERE held.tenant = gone.tenant AND held.writer = gone.writer AND held.space = gone.space;
    DELETE FROM storage_use AS held USING (SELECT DISTINCT tenant, writer, space FROM removed) AS gone
        WHERE held.tenant = gone.tenant AND held.writer = gone.writer AND held.space = gone.space
        AND held.facts = 0 AND held.bytes = 0;
    RETURN NULL;
END
$$;
CREATE FUNCTION storage_use_change() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    UPDATE storage_use SET bytes = bytes + octet_length(new.body) - octet_length(old.body)
        WHERE tenant = new.tenant AND writer = new.writer AND space = new.space;
    RETURN NULL;
END
$$;
CREATE TRIGGER fact_added AFTER INSERT ON fact
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION storage_use_add('1');
CREATE TRIGGER fact_changed AFTER UPDATE OF body ON fact FOR EACH ROW
    WHEN (octet_length(new.body) <> octet_length(old.body)) EXECUTE FUNCTION storage_use_change();
CREATE TRIGGER fact_removed AFTER DELETE ON fact
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION storage_use_remove('1');
CREATE TRIGGER statement_text_added AFTER INSERT ON statement_text
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION storage_use_add('0');
CREATE TRIGGER statement_text_removed AFTER DELETE ON statement_text
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION storage_use_remove('0');
