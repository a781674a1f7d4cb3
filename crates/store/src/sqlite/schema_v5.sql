-- Who wrote a fact, and the words of a statement. What was stored before this version has no writer.
ALTER TABLE fact ADD COLUMN writer TEXT NOT NULL DEFAULT '';
ALTER TABLE statement_text ADD COLUMN writer TEXT NOT NULL DEFAULT '';

-- How many facts are held of whom, and how many bytes their rows and words have, for the quotas. The triggers keep it
-- true, whatever adds or erases. It is counted by space because whoever writes has locked the space anyway.
CREATE TABLE storage_use (
    tenant TEXT NOT NULL,
    writer TEXT NOT NULL,
    space  INTEGER NOT NULL,
    facts  INTEGER NOT NULL,
    bytes  INTEGER NOT NULL,
    PRIMARY KEY (tenant, writer, space)
) WITHOUT ROWID;

INSERT INTO storage_use (tenant, writer, space, facts, bytes)
    SELECT tenant, '', space, sum(facts), sum(bytes) FROM (
        SELECT tenant, space, 1 AS facts, length(body) AS bytes FROM fact
        UNION ALL SELECT tenant, space, 0, length(body) FROM statement_text
    ) GROUP BY tenant, space;

CREATE TRIGGER fact_added AFTER INSERT ON fact BEGIN
    INSERT INTO storage_use (tenant, writer, space, facts, bytes)
        VALUES (new.tenant, new.writer, new.space, 1, length(new.body))
        ON CONFLICT (tenant, writer, space) DO UPDATE SET facts = facts + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER fact_changed AFTER UPDATE OF body ON fact WHEN length(new.body) <> length(old.body) BEGIN
    UPDATE storage_use SET bytes = bytes + length(new.body) - length(old.body)
        WHERE tenant = new.tenant AND writer = new.writer AND space = new.space;
END;
CREATE TRIGGER fact_removed AFTER DELETE ON fact BEGIN
    UPDATE storage_use SET facts = facts - 1, bytes = bytes - length(old.body)
        WHERE tenant = old.tenant AND writer = old.writer AND space = old.space;
    DELETE FROM storage_use WHERE tenant = old.tenant AND writer = old.writer AND space = old.space
        AND facts = 0 AND bytes = 0;
END;
CREATE TRIGGER statement_text_added AFTER INSERT ON statement_text BEGIN
    INSERT INTO storage_use (tenant, writer, space, facts, bytes)
        VALUES (new.tenant, new.writer, new.space, 0, length(new.body))
        ON CONFLICT (tenant, writer, space) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER statement_text_removed AFTER DELETE ON statement_text BEGIN
    UPDATE storage_use SET bytes = bytes - length(old.body)
        WHERE tenant = old.tenant AND writer = old.writer AND space = old.space;
    DELETE FROM storage_use WHERE tenant = old.tenant AND writer = old.writer AND space = old.space
        AND facts = 0 AND bytes = 0;
END;
