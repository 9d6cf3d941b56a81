-- What goes with a repository or a pull request is found without reading the whole table.
CREATE INDEX queue_entries_ending ON queue_entries (pull_id);
CREATE INDEX queue_entries_of_repo ON queue_entries (repo_id);
CREATE INDEX agent_questions_of_repo ON agent_questions (repo_id);
