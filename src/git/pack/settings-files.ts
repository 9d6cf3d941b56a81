/**
 * Checks the two files in a tree whose content git obeys (fsck's gitmodules and gitattributes
 * messages).
 */
import { GitError } from '../ports.ts'

const MAX_BYTES = 100 * 1024 * 1024
const MAX_LINE = 2048

const refuse = (id: string, what: string): GitError => new GitError('invalid', `${id}: ${what}`)

/** Throws GitError `invalid` for lines or sizes that older versions of git cannot read safely. */
export function checkAttributes(data: Uint8Array): void {
  if (data.length > MAX_BYTES)
    throw refuse('gitattributesLarge', '.gitattributes too large to parse')
  let start = 0
  for (let i = 0; i <= data.length; i++) {
    if (i < data.length && data[i] !== 10) continue
    if (i - start >= MAX_LINE)
      throw refuse('gitattributesLineLength', '.gitattributes has too long lines to parse')
    start = i + 1
  }
}

/**
 * Throws GitError `invalid` for names, paths, addresses or commands that would do harm on a clone
 * with submodules.
 */
export function checkModules(data: Uint8Array): void {
  const text = Buffer.from(data).toString('latin1')
  let name: string | null = null
  for (const line of joined(text)) {
    const section = /^\s*\[\s*submodule\s+"((?:[^"\\]|\\.)*)"\s*\]/i.exec(line)
    if (section) {
      name = section[1]!.replace(/\\(.)/g, '$1')
      if (isBadName(name)) throw refuse('gitmodulesName', `disallowed submodule name: ${name}`)
    } else if (/^\s*\[/.test(line)) name = null
    const setting = /^(?:\s*\[[^\]]*\])?\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*)$/.exec(line)
    if (name === null || !setting) continue
    const value = unquote(setting[2]!)
    switch (setting[1]!.toLowerCase()) {
      case 'url':
        if (isBadUrl(value)) throw refuse('gitmodulesUrl', `disallowed submodule url: ${value}`)
        break
      case 'path':
        if (value.startsWith('-'))
          throw refuse('gitmodulesPath', `disallowed submodule path: ${value}`)
        break
      case 'update':
        if (value.startsWith('!'))
          throw refuse('gitmodulesUpdate', `disallowed submodule update setting: ${value}`)
    }
  }
}

/** Lines with those that end in a backslash put together. */
const joined = (text: string): string[] => text.replace(/\\\r?\n/g, '').split(/\r?\n/)

function unquote(value: string): string {
  let out = ''
  let quoted = false
  for (let i = 0; i < value.length; i++) {
    const char = value[i]!
    if (char === '\\') {
      const next = value[++i] ?? ''
      out += next === 'n' ? '\n' : next === 't' ? '\t' : next === 'b' ? '\b' : next
    } else if (char === '"') quoted = !quoted
    else if (!quoted && (char === '#' || char === ';')) break
    else out += char
  }
  return out.trimEnd()
}

/** A name becomes a path below `.git/modules`: no part of it may be `..` (CVE-2018-11235). */
const isBadName = (name: string): boolean => name === '' || name.split(/[/\\]/).includes('..')

/**
 * No options, no line feeds in what a helper gets, no relative address that leaves the host's part
 * (CVE-2020-5260, CVE-2020-11008).
 */
function isBadUrl(url: string): boolean {
  if (url.startsWith('-')) return true
  const helper = /^(?:https?|ftps?):/i.test(url) || /^[A-Za-z0-9]+::/.test(url)
  if (/^\.\.?\//.test(url)) {
    let decoded: string
    try {
      decoded = decodeURIComponent(url)
    } catch {
      decoded = url
    }
    if (decoded.includes('\n')) return true
    // After the leading ../ parts nothing may follow that could be read as a host.
    const left = url.replace(/^(?:\.\.?\/+)+/, '')
    return (
      url.startsWith('../') && (left === '' ? false : left.startsWith(':') || left.startsWith('/'))
    )
  }
  if (!helper) return false
  let decoded: string
  try {
    decoded = decodeURIComponent(url)
  } catch {
    return true
  }
  if (decoded.includes('\n')) return true
  const address = url.replace(/^[A-Za-z0-9]+::/, '')
  return /^[A-Za-z][A-Za-z0-9+.-]*:\/\/(?:[/:?#]|$)/.test(address)
}
