/** The commands that git clients run over SSH (gitprotocol-pack, "SSH Transport"). */

export type SshCommand =
  | { readonly kind: 'git-upload-pack' | 'git-receive-pack'; readonly path: string }
  | {
      readonly kind: 'git-lfs-authenticate'
      readonly path: string
      readonly operation: 'upload' | 'download'
    }
  | { readonly kind: 'unknown'; readonly name: string }

const MAX_COMMAND_LENGTH = 4096
const COMMAND = /^(git-[a-z-]+|git [a-z-]+)(?: ([^\n]*))?$/

/** The first argument and the rest; null when quotes are not closed. */
function splitArgument(text: string): { value: string; rest: string } | null {
  if (!text.startsWith("'")) {
    const [value = '', ...rest] = text.split(' ')
    return { value, rest: rest.join(' ') }
  }
  const end = text.indexOf("'", 1)
  // Names of repositories hold no quotes, so no escapes are needed.
  return end < 0 ? null : { value: text.slice(1, end), rest: text.slice(end + 1).trim() }
}

/** Reads a command without the rules of a shell: a name, one quoted path, and one word for LFS. */
export function parseSshCommand(text: string): SshCommand {
  const [, given = '', rest = ''] =
    text.length > MAX_COMMAND_LENGTH ? [] : (COMMAND.exec(text) ?? [])
  const name = given.replace(' ', '-')
  const unknown = { kind: 'unknown', name: name || text.slice(0, 40) } as const
  const argument = splitArgument(rest.trim())
  if (argument === null || argument.value === '') return unknown
  if (name === 'git-upload-pack' || name === 'git-receive-pack')
    return argument.rest === '' ? { kind: name, path: argument.value } : unknown
  const [operation] = argument.rest.split(' ')
  return name === 'git-lfs-authenticate' && (operation === 'upload' || operation === 'download')
    ? { kind: name, path: argument.value, operation }
    : unknown
}
