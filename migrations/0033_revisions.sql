-- How often agents pushed again after failed checks or requested changes, since a person last commented or pushed.
ALTER TABLE pulls ADD COLUMN agent_revisions INTEGER NOT NULL DEFAULT 0;
