/** One word of a POSIX shell, whatever is in it (XCU 2.2.2, single quotes). */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export const words = (list: readonly string[]): string => list.map(quote).join(' ')

/**
 * Where programs are looked for, here and for commands. Nothing of the server's own environment is
 * used.
 */
export const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** What a child of the server gets as its environment. */
export const BARE = { PATH, LANG: 'C.UTF-8' } as const
