/** Users and groups of an image, by its files `/etc/passwd` and `/etc/group` (passwd(5), group(5)). */
import { readTarEntries } from '#lib/archives/tar-entries.ts'
import { readIn, statIn } from './docker-api.ts'

const MAX_LIST_BYTES = 1024 ** 2

export type Owner = { readonly uid: number; readonly gid: number }

/** The lines of a file of a container, in fields; none where it is not there. */
async function linesIn(container: string, path: string, signal: AbortSignal): Promise<string[][]> {
  const found = await statIn(container, path, signal)
  if (found === null || found.isFolder) return []
  const parts: Uint8Array[] = []
  for await (const { kind, size, data } of readTarEntries(
    await readIn(container, found.link ?? path, signal),
  )) {
    if (kind !== 'file' || size > MAX_LIST_BYTES) continue
    for await (const part of data) parts.push(part)
  }
  const text = Buffer.concat(parts).toString()
  return text.split('\n').map((line) => line.split(':'))
}

const isNumber = (text: string): boolean => /^\d{1,10}$/.test(text)

/** The ids of `user`, `user:group`, or numbers. Throws an Error for a name that the image lacks. */
export async function findOwner(
  container: string,
  text: string,
  signal: AbortSignal,
): Promise<Owner> {
  const [user = '', group] = text.split(':')
  let owner = { uid: Number(user || 0), gid: Number(user || 0) }
  if (user !== '' && !isNumber(user)) {
    const lines = await linesIn(container, '/etc/passwd', signal)
    const [, , uid = '', gid = ''] = lines.find(([name]) => name === user) ?? []
    if (!isNumber(uid)) throw new Error(`the image has no user ${user}`)
    owner = { uid: Number(uid), gid: Number(gid) }
  }
  if (group === undefined || group === '') return owner
  if (isNumber(group)) return { ...owner, gid: Number(group) }
  const lines = await linesIn(container, '/etc/group', signal)
  const gid = lines.find(([name]) => name === group)?.[2] ?? ''
  if (!isNumber(gid)) throw new Error(`the image has no group ${group}`)
  return { ...owner, gid: Number(gid) }
}
