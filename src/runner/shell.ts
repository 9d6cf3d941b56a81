/** Quotes a string as one word of a POSIX shell (XCU 2.2.2, single quotes). */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export const quoteAll = (list: readonly string[]): string => list.map(quote).join(' ')

/** The search path for programs. The server's own environment is not used. */
export const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The environment of the server's child processes. */
export const MINIMAL_ENV = { PATH, LANG: 'C.UTF-8' } as const
