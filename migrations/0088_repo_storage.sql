-- The files and bytes that each repository stores, because every upload under a quota asks for those of
-- its workspace. Sums over the files grew with them. Triggers keep the table.
CREATE TABLE repo_storage (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  kind TEXT NOT NULL
    CHECK (kind IN ('lfs', 'release_assets', 'attachments', 'artifacts', 'caches', 'logs')),
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE, -- that of the repository
  files INTEGER NOT NULL CHECK (files >= 0),
  bytes INTEGER NOT NULL CHECK (bytes >= 0),
  PRIMARY KEY (repo_id, kind)
) STRICT, WITHOUT ROWID;

CREATE INDEX repo_storage_of_workspace ON repo_storage (workspace_id, kind, files, bytes);

INSERT INTO repo_storage (repo_id, kind, workspace_id, files, bytes)
  SELECT p.id, f.kind, p.workspace_id, count(*), sum(f.bytes)
  FROM (SELECT repo_id, 'lfs' AS kind, size_in_bytes AS bytes FROM lfs_objects
    UNION ALL SELECT r.repo_id, 'release_assets', a.size_in_bytes
      FROM release_assets a JOIN releases r ON r.id = a.release_id
    UNION ALL SELECT repo_id, 'attachments', size_in_bytes FROM attachments
    UNION ALL SELECT repo_id, 'artifacts', size_in_bytes FROM artifacts WHERE sha256 IS NOT NULL
    UNION ALL SELECT repo_id, 'caches', size_in_bytes FROM caches
    UNION ALL SELECT repo_id, 'logs', log_stored_bytes FROM workflow_jobs
      WHERE log_stored_bytes > 0) f
  JOIN repos p ON p.id = f.repo_id
  GROUP BY p.id, f.kind;

CREATE TRIGGER repo_storage_transferred AFTER UPDATE OF workspace_id ON repos BEGIN
  UPDATE repo_storage SET workspace_id = NEW.workspace_id WHERE repo_id = NEW.id;
END;

CREATE TRIGGER lfs_objects_added AFTER INSERT ON lfs_objects BEGIN
  INSERT INTO repo_storage (repo_id, kind, workspace_id, files, bytes)
    SELECT id, 'lfs', workspace_id, 1, NEW.size_in_bytes FROM repos WHERE id = NEW.repo_id
    ON CONFLICT DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER lfs_objects_removed AFTER DELETE ON lfs_objects BEGIN
  UPDATE repo_storage SET files = files - 1, bytes = bytes - OLD.size_in_bytes
    WHERE repo_id = OLD.repo_id AND kind = 'lfs';
END;

CREATE TRIGGER release_assets_added AFTER INSERT ON release_assets BEGIN
  INSERT INTO repo_storage (repo_id, kind, workspace_id, files, bytes)
    SELECT p.id, 'release_assets', p.workspace_id, 1, NEW.size_in_bytes
    FROM releases r JOIN repos p ON p.id = r.repo_id WHERE r.id = NEW.release_id
    ON CONFLICT DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER release_assets_removed AFTER DELETE ON release_assets BEGIN
  UPDATE repo_storage SET files = files - 1, bytes = bytes - OLD.size_in_bytes
    WHERE repo_id = (SELECT repo_id FROM releases WHERE id = OLD.release_id)
    AND kind = 'release_assets';
END;

-- The files go first, while the release still tells their repository.
CREATE TRIGGER releases_removed BEFORE DELETE ON releases BEGIN
  DELETE FROM release_assets WHERE release_id = OLD.id;
END;

CREATE TRIGGER attachments_added AFTER INSERT ON attachments BEGIN
  INSERT INTO repo_storage (repo_id, kind, workspace_id, files, bytes)
    SELECT id, 'attachments', workspace_id, 1, NEW.size_in_bytes FROM repos WHERE id = NEW.repo_id
    ON CONFLICT DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER attachments_removed AFTER DELETE ON attachments BEGIN
  UPDATE repo_storage SET files = files - 1, bytes = bytes - OLD.size_in_bytes
    WHERE repo_id = OLD.repo_id AND kind = 'attachments';
END;

-- The row of an expired artifact stays without its file.
CREATE TRIGGER artifacts_added AFTER INSERT ON artifacts WHEN NEW.sha256 IS NOT NULL BEGIN
  INSERT INTO repo_storage (repo_id, kind, workspace_id, files, bytes)
    SELECT id, 'artifacts', workspace_id, 1, NEW.size_in_bytes FROM repos WHERE id = NEW.repo_id
    ON CONFLICT DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER artifacts_expired AFTER UPDATE OF sha256 ON artifacts
  WHEN OLD.sha256 IS NOT NULL AND NEW.sha256 IS NULL BEGIN
  UPDATE repo_storage SET files = files - 1, bytes = bytes - OLD.size_in_bytes
    WHERE repo_id = OLD.repo_id AND kind = 'artifacts';
END;

CREATE TRIGGER artifacts_removed AFTER DELETE ON artifacts WHEN OLD.sha256 IS NOT NULL BEGIN
  UPDATE repo_storage SET files = files - 1, bytes = bytes - OLD.size_in_bytes
    WHERE repo_id = OLD.repo_id AND kind = 'artifacts';
END;

CREATE TRIGGER caches_added AFTER INSERT ON caches BEGIN
  INSERT INTO repo_storage (repo_id, kind, workspace_id, files, bytes)
    SELECT id, 'caches', workspace_id, 1, NEW.size_in_bytes FROM repos WHERE id = NEW.repo_id
    ON CONFLICT DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER caches_removed AFTER DELETE ON caches BEGIN
  UPDATE repo_storage SET files = files - 1, bytes = bytes - OLD.size_in_bytes
    WHERE repo_id = OLD.repo_id AND kind = 'caches';
END;

-- A job begins without a log; its packed log may be packed again, and expires.
CREATE TRIGGER workflow_jobs_log_stored AFTER UPDATE OF log_stored_bytes ON workflow_jobs
  WHEN NEW.log_stored_bytes <> OLD.log_stored_bytes BEGIN
  INSERT INTO repo_storage (repo_id, kind, workspace_id, files, bytes)
    SELECT id, 'logs', workspace_id, 0, 0 FROM repos WHERE id = NEW.repo_id
    ON CONFLICT DO NOTHING;
  UPDATE repo_storage SET files = files + (NEW.log_stored_bytes > 0) - (OLD.log_stored_bytes > 0),
      bytes = bytes + NEW.log_stored_bytes - OLD.log_stored_bytes
    WHERE repo_id = NEW.repo_id AND kind = 'logs';
END;

CREATE TRIGGER workflow_jobs_log_removed AFTER DELETE ON workflow_jobs
  WHEN OLD.log_stored_bytes > 0 BEGIN
  UPDATE repo_storage SET files = files - 1, bytes = bytes - OLD.log_stored_bytes
    WHERE repo_id = OLD.repo_id AND kind = 'logs';
END;

-- It served the sum over the logs.
DROP INDEX workflow_jobs_logs;
