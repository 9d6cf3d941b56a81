-- The size of an image changes with its layers from now on; it was added up again at each push. Layers
-- that were linked since the last push are not in it yet.
UPDATE packages SET size_in_bytes = (
  SELECT coalesce(sum(size_in_bytes), 0)
  FROM (SELECT DISTINCT sha256, size_in_bytes FROM image_blobs WHERE package_id = packages.id)
) WHERE type = 'container';
