-- The interface that an application asked a token for (RFC 8707): the tool server, the REST API, or null for all of the site.
-- By name and not by address, so that a site that moves keeps its tokens.
ALTER TABLE tokens ADD COLUMN audience TEXT CHECK (audience IN ('mcp', 'api'));
