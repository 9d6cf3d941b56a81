-- What a model provider lists, as a JSON array of names; null where it has not said.
ALTER TABLE integrations ADD COLUMN offered_models TEXT;

-- Runs that wait for a free place.
CREATE INDEX agent_runs_queued ON agent_runs (state_at) WHERE state = 'queued';
