-- The vector of CVSS that the severity is taken from.
ALTER TABLE advisories ADD COLUMN cvss TEXT;
