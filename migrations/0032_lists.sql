-- Words of pull requests are found as those of issues are.
INSERT OR REPLACE INTO record_fts (rowid, repo, title, body)
SELECT r.seq, substr(r.repo_id, instr(r.repo_id, '_') + 1), r.title, p.body
FROM pulls p JOIN records r ON r.repo_id = p.repo_id AND r.number = p.number;

-- Lists of pull requests are sorted by the time of their record, which from now on follows pushes and reviews too.
UPDATE records SET updated_at = p.updated_at FROM pulls p
WHERE p.repo_id = records.repo_id AND p.number = records.number AND p.updated_at > records.updated_at;
