-- The advisories that the changes of a pull request bring in and mend, as JSON.
ALTER TABLE dependency_reviews ADD COLUMN advisories TEXT NOT NULL
  DEFAULT '{"opens":[],"mends":[]}' CHECK (json_valid(advisories));

-- A review of an older version knows only whether there are any of a high or critical severity.
UPDATE dependency_reviews SET advisories =
    '{"opens":[{"id":"","severity":"high","package":"","manifest":"","url":null}],"mends":[]}'
  WHERE failing > 0;
