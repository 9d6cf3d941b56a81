-- Names that differ in case, `-`, `_` and `.` only are found without reading all names.
CREATE INDEX packages_by_plain_name ON packages (
  workspace_id, type, replace(replace(replace(lower(normal_name), '-', ''), '_', ''), '.', '')
);

-- The bytes of what is cached of an upstream, because every write with a quota asks for them.
ALTER TABLE package_upstreams ADD COLUMN cached_bytes INTEGER NOT NULL DEFAULT 0;
UPDATE package_upstreams SET cached_bytes = coalesce(
  (SELECT sum(f.size_in_bytes) FROM upstream_files f WHERE f.upstream_id = package_upstreams.id), 0);

CREATE TRIGGER upstream_files_added AFTER INSERT ON upstream_files BEGIN
  UPDATE package_upstreams SET cached_bytes = cached_bytes + NEW.size_in_bytes
    WHERE id = NEW.upstream_id;
END;

CREATE TRIGGER upstream_files_changed AFTER UPDATE OF size_in_bytes ON upstream_files BEGIN
  UPDATE package_upstreams SET cached_bytes = cached_bytes - OLD.size_in_bytes + NEW.size_in_bytes
    WHERE id = NEW.upstream_id;
END;

CREATE TRIGGER upstream_files_removed AFTER DELETE ON upstream_files BEGIN
  UPDATE package_upstreams SET cached_bytes = cached_bytes - OLD.size_in_bytes
    WHERE id = OLD.upstream_id;
END;
