-- Pages and lists show the branches and tags that moved last.
CREATE INDEX branches_by_move ON refs (repo_id, moved_at DESC, name)
  WHERE name >= 'refs/heads/' AND name < 'refs/heads0';
CREATE INDEX tags_by_move ON refs (repo_id, moved_at DESC, name)
  WHERE name >= 'refs/tags/' AND name < 'refs/tags0';
