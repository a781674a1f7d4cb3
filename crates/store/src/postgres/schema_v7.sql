-- The rows that a transaction writes or removes, one line each in a setting that lives as long as the transaction: the
-- table and the primary key as a JSON list. The service reads the rows back when it appends its entry to the audit log,
-- which commits to them.
CREATE FUNCTION touched() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
    held RECORD;
    noted JSON;
BEGIN
    IF TG_OP = 'DELETE' THEN held := old; ELSE held := new; END IF;
    IF TG_TABLE_NAME = 'statement_text' THEN
        noted := json_build_array(TG_TABLE_NAME, held.tenant, encode(held.ix, 'hex'));
    ELSIF TG_TABLE_NAME = 'statement' THEN
        noted := json_build_array(TG_TABLE_NAME, held.tenant, held.space, encode(held.text_ix, 'hex'));
    ELSIF TG_TABLE_NAME = 'belief' THEN
        noted := json_build_array(TG_TABLE_NAME, held.tenant, held.decision, held.place);
    ELSE
        noted := json_build_array(TG_TABLE_NAME, held.tenant, held.id);
    END IF;
    PERFORM set_config('svc.touched', concat(current_setting('svc.touched', true), noted, E'\n'), true);
    RETURN NULL;
END
$$;
DO $$
DECLARE
    covered TEXT;
BEGIN
    FOREACH covered IN ARRAY ARRAY['space', 'fact', 'statement', 'statement_text', 'decision', 'belief', 'receipt',
        'principal', 'erasure']
    LOOP
        EXECUTE format('CREATE TRIGGER touched AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW
            EXECUTE FUNCTION touched()', covered);
    END LOOP;
END
$$;
