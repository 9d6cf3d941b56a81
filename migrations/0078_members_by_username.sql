-- Lists of people show a page of members in the order of their usernames. The triggers keep the key.
ALTER TABLE members ADD COLUMN username_key TEXT;
UPDATE members SET username_key = (SELECT username FROM actors WHERE id = user_id);
CREATE INDEX members_by_username ON members (workspace_id, username_key, user_id);

CREATE TRIGGER members_key_new AFTER INSERT ON members BEGIN
  UPDATE members SET username_key = (SELECT username FROM actors WHERE id = NEW.user_id)
    WHERE workspace_id = NEW.workspace_id AND user_id = NEW.user_id;
END;
CREATE TRIGGER members_key_change AFTER UPDATE OF username ON actors WHEN NEW.kind = 'user' BEGIN
  UPDATE members SET username_key = NEW.username WHERE user_id = NEW.id;
END;
