-- For the page with all imports that somebody started.
CREATE INDEX imports_by_person ON imports (created_by, id);
