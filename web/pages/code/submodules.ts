// The addresses of submodules, from the file .gitmodules (gitmodules(5)).
import { getFile, type TreeEntry } from '#features/repos/index.ts'
import { repoPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'

/** The path and the address of each submodule, as written. */
export function readModules(text: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const section of text.split(/^[ \t]*\[submodule[ \t]+"/m).slice(1)) {
    const value = (name: string) =>
      new RegExp(`^[ \\t]*${name}[ \\t]*=(.*)$`, 'm')
        .exec(section)?.[1]
        ?.trim()
        .replace(/^"|"$/g, '')
    const [path, url] = [value('path'), value('url')]
    if (path !== undefined && url !== undefined) found.set(path, url)
  }
  return found
}

/** The web page for an address of git, or null. A relative address starts at the repository. */
export function pageOf(url: string, repo: string): string | null {
  if (/^\.\.?\//.test(url)) {
    const parts = repo.split('/')
    for (const part of url.split('/')) {
      if (part === '..') parts.pop()
      else if (part !== '.') parts.push(part)
    }
    return parts.length === 2 ? repoPath(parts.join('/').replace(/\.git$/, '')) : null
  }
  const ssh = /^(?:ssh:\/\/)?(?:[\w.-]+@)([\w.-]+)(?::|\/)(?!\/)([\w./~-]+)$/.exec(url)
  const whole = ssh ? `https://${ssh[1]}/${ssh[2]}` : url
  return /^https?:\/\/[^\s@]+$/.test(whole) ? whole.replace(/\.git$/, '') : null
}

/** The pages of the submodules among the entries of a folder. */
export async function submodulesOf(
  visit: Visit,
  repo: string,
  commit: string,
  entries: readonly TreeEntry[],
): Promise<ReadonlyMap<string, string>> {
  if (!entries.some(({ type }) => type === 'submodule')) return new Map()
  const file = await visit.tryCall(getFile, { repo, ref: commit, path: '.gitmodules' })
  const modules = file === null || file.encoding !== 'utf-8' ? [] : [...readModules(file.content)]
  return new Map(
    modules.flatMap(([path, url]) => {
      const page = pageOf(url, repo)
      return page === null ? [] : [[path, page] as const]
    }),
  )
}
