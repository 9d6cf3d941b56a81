-- What a person has chosen for the website; null for nothing.
ALTER TABLE users ADD COLUMN theme TEXT CHECK (theme IN ('system', 'light', 'dark'));
ALTER TABLE users ADD COLUMN locale TEXT;
