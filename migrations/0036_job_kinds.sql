-- Jobs that wait, run or failed keep their work under the new name of their kind.
UPDATE jobs SET kind = 'find_sha1_collisions' WHERE kind = 'look_for_forged';
