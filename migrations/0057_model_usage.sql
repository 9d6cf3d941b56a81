-- Usage of a workspace since a time.
CREATE INDEX model_calls_of_workspace_by_time ON model_calls (workspace_id, at);
