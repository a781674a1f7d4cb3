-- The number of the key that the user's content is sealed under: the same in all spaces of a user. A space that nothing was
-- written to since this version has none.
ALTER TABLE space ADD COLUMN user_key BIGINT;
