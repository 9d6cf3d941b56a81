/**
 * Actors that stand for people of another forge. They have no account: nobody can sign in as one,
 * and nothing is sent to one.
 */
import { typeId } from '#core/ids.ts'
import type { Tx } from '#core/write.ts'
import { insertActor } from '../store/actors.ts'

const MAX_LOGIN_LENGTH = 100
const MARK = ' (imported)'

/**
 * The stored username ends with the id, because usernames are unique and several repositories may
 * have an ada. No account can have such a name, because it holds spaces.
 */
export const storedImportedName = (login: string, id: string): string => `${login}${MARK} ${id}`

/** The name to show for a stored username: without the id of an imported person. */
export function shownUsername(username: string): string {
  const at = username.lastIndexOf(`${MARK} `)
  return at < 0 ? username : username.slice(0, at + MARK.length)
}

const oneWord = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\p{L}\p{N}._@-]+/gu, '-')
    .slice(0, MAX_LOGIN_LENGTH) || 'ghost'

/** What a person of another forge is called here. */
export const importedName = (login: string): string => `${oneWord(login)}${MARK}`

/** Inserts an actor for a person of another forge and returns its id. */
export function recordImportedPerson(
  tx: Tx,
  person: { readonly login: string; readonly name: string | null },
): string {
  const id = typeId('usr', tx.now_ms)
  insertActor(tx.db, {
    id,
    kind: 'user',
    username: storedImportedName(oneWord(person.login), id),
    name: person.name,
    on_behalf_of: null,
  })
  return id
}
