-- The Explore page finds its repositories, languages and topics without reading rows. SQLite reads the row for a column of a
-- condition that is not in the index, even if the index holds no others.
CREATE INDEX repos_explored ON repos (coalesce(pushed_at, created_at), id, private, workspace_id, parent_id, deleted_at)
  WHERE parent_id IS NULL AND deleted_at IS NULL;
CREATE INDEX repos_with_language ON repos (language, private, workspace_id, parent_id, deleted_at)
  WHERE language IS NOT NULL AND parent_id IS NULL AND deleted_at IS NULL;
CREATE INDEX repos_with_topics ON repos (private, workspace_id, topics, parent_id, deleted_at)
  WHERE topics <> '[]' AND parent_id IS NULL AND deleted_at IS NULL;
