-- The files of a change that say how agents and checks work. Statistics are computed again when
-- they are missing, so those of agents' pull requests that are still open are dropped.
ALTER TABLE pull_stats ADD COLUMN instruction_paths TEXT NOT NULL DEFAULT '[]'
  CHECK (json_valid(instruction_paths));
DELETE FROM pull_stats WHERE pull_id IN (
  SELECT p.id FROM pulls p JOIN actors a ON a.id = p.author_id
  WHERE p.status IN ('draft', 'open') AND (p.agent IS NOT NULL OR a.kind = 'agent'));
