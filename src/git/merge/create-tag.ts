/** Annotated tags (git-tag). */
import { serializeTag } from '../object.ts'
import { GitError, type ObjectDatabase, type Oid, type Signature } from '../ports.ts'

export type CreateTagOptions = { object: Oid; name: string; message: string; tagger: Signature }

/** Names that git does not allow for refs (git-check-ref-format). */
const BAD_NAME = /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\.lock(\/|$)|(^|\/)\.|\.$|^\/|\/$|^@$|^-/

/**
 * Writes a tag object and returns its id. Throws GitError `missing` for an unknown object, and
 * `invalid` for an invalid name.
 */
export function createTag(
  db: ObjectDatabase,
  { object, name, message, tagger }: CreateTagOptions,
): Oid {
  if (name === '' || BAD_NAME.test(name))
    throw new GitError('invalid', `${JSON.stringify(name)} is not a name for a tag`)
  const target = db.header(object)
  if (!target) throw new GitError('missing', `object ${object} is missing`)
  return db.write('tag', serializeTag({ object, type: target.type, name, tagger, message }))
}
