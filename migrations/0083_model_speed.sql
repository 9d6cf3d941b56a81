-- How fast a model answered when its owner tested it last; JSON.
ALTER TABLE integrations ADD COLUMN speed TEXT CHECK (json_valid(speed));
