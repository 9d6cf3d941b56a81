-- The bytes of the packages of a workspace, because every publish under a quota asks for them. A sum
-- over the files grew with them. Equal files of one workspace count once.
CREATE TABLE workspace_package_files (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  size_in_bytes INTEGER NOT NULL CHECK (size_in_bytes >= 0),
  -- The rows of package_files and image_blobs that name it.
  holders INTEGER NOT NULL CHECK (holders >= 0),
  PRIMARY KEY (workspace_id, sha256)
) STRICT, WITHOUT ROWID;

CREATE TABLE workspace_package_bytes (
  workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  bytes INTEGER NOT NULL CHECK (bytes >= 0)
) STRICT, WITHOUT ROWID;

INSERT INTO workspace_package_files (workspace_id, sha256, size_in_bytes, holders)
  SELECT p.workspace_id, f.sha256, max(f.size_in_bytes), count(*)
  FROM (SELECT package_id, sha256, size_in_bytes FROM package_files
    UNION ALL SELECT package_id, sha256, size_in_bytes FROM image_blobs) f
  JOIN packages p ON p.id = f.package_id
  GROUP BY p.workspace_id, f.sha256;

INSERT INTO workspace_package_bytes (workspace_id, bytes)
  SELECT workspace_id, sum(size_in_bytes) FROM workspace_package_files GROUP BY workspace_id;

CREATE TRIGGER workspace_package_files_added AFTER INSERT ON workspace_package_files BEGIN
  INSERT INTO workspace_package_bytes (workspace_id, bytes) VALUES (NEW.workspace_id, NEW.size_in_bytes)
    ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER workspace_package_files_removed AFTER DELETE ON workspace_package_files BEGIN
  UPDATE workspace_package_bytes SET bytes = bytes - OLD.size_in_bytes
    WHERE workspace_id = OLD.workspace_id;
END;

CREATE TRIGGER package_files_added AFTER INSERT ON package_files BEGIN
  INSERT INTO workspace_package_files (workspace_id, sha256, size_in_bytes, holders)
    SELECT workspace_id, NEW.sha256, NEW.size_in_bytes, 1 FROM packages WHERE id = NEW.package_id
    ON CONFLICT DO UPDATE SET holders = holders + 1;
END;

CREATE TRIGGER package_files_removed AFTER DELETE ON package_files BEGIN
  UPDATE workspace_package_files SET holders = holders - 1 WHERE sha256 = OLD.sha256
    AND workspace_id = (SELECT workspace_id FROM packages WHERE id = OLD.package_id);
  DELETE FROM workspace_package_files WHERE holders = 0 AND sha256 = OLD.sha256
    AND workspace_id = (SELECT workspace_id FROM packages WHERE id = OLD.package_id);
END;

CREATE TRIGGER image_blobs_added AFTER INSERT ON image_blobs BEGIN
  INSERT INTO workspace_package_files (workspace_id, sha256, size_in_bytes, holders)
    SELECT workspace_id, NEW.sha256, NEW.size_in_bytes, 1 FROM packages WHERE id = NEW.package_id
    ON CONFLICT DO UPDATE SET holders = holders + 1;
END;

CREATE TRIGGER image_blobs_removed AFTER DELETE ON image_blobs BEGIN
  UPDATE workspace_package_files SET holders = holders - 1 WHERE sha256 = OLD.sha256
    AND workspace_id = (SELECT workspace_id FROM packages WHERE id = OLD.package_id);
  DELETE FROM workspace_package_files WHERE holders = 0 AND sha256 = OLD.sha256
    AND workspace_id = (SELECT workspace_id FROM packages WHERE id = OLD.package_id);
END;

-- The files go first, while the package still tells their workspace.
CREATE TRIGGER packages_removed BEFORE DELETE ON packages BEGIN
  DELETE FROM package_files WHERE package_id = OLD.id;
  DELETE FROM image_blobs WHERE package_id = OLD.id;
END;

-- A file that many packages have is found in one of them without reading the others.
DROP INDEX package_files_by_blob;
CREATE INDEX package_files_by_blob ON package_files (sha256, package_id);
