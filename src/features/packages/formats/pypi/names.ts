/** Names of Python projects (PEP 503) and of the files of their releases (PEP 427, PEP 625). */
import { invalid } from '#lib/errors.ts'
import { normalPythonName } from '#lib/lock-files/python.ts'
import { canonicalPythonText, parsePythonVersion } from '#lib/versions/pep440.ts'

const MAX_NAME_LENGTH = 100
const MAX_FILE_LENGTH = 300
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/
const FILE = /^[A-Za-z0-9][\w.+!-]*$/
const SOURCE = /\.(?:tar\.gz|zip)$/

/** Throws 422 for a name that PyPI would not take. */
export function parsePythonName(text: string): string {
  if (text.length <= MAX_NAME_LENGTH && NAME.test(text)) return text
  throw invalid(
    'name',
    `${text.slice(0, 100)} is no name of a Python project: use at most 100 letters, digits, and . _ - between them`,
  )
}

export type DistributionName = {
  readonly kind: 'wheel' | 'source'
  /** As the name of the file has it. */
  readonly name: string
  readonly version: string
}

/** What the name of a file says. Throws 422 for one that is neither a wheel nor an sdist. */
export function parseDistributionName(file: string): DistributionName {
  const isSafe = file.length <= MAX_FILE_LENGTH && FILE.test(file)
  if (isSafe && file.endsWith('.whl')) {
    const parts = file.slice(0, -'.whl'.length).split('-')
    const [name = '', version = ''] = parts
    if (parts.length === 5 || parts.length === 6) return { kind: 'wheel', name, version }
  }
  const stem = isSafe && SOURCE.test(file) ? file.replace(SOURCE, '') : ''
  const dash = stem.lastIndexOf('-')
  if (dash > 0) return { kind: 'source', name: stem.slice(0, dash), version: stem.slice(dash + 1) }
  throw invalid(
    'content',
    `${file.slice(0, 200)} is neither a wheel nor a source distribution: build one with python -m build`,
  )
}

/** Whether the name of a file fits the project and version in it. */
export function isNamedAfter(file: DistributionName, name: string, version: string): boolean {
  return (
    normalPythonName(file.name) === normalPythonName(name) &&
    parsePythonVersion(file.version) !== null &&
    canonicalPythonText(file.version) === canonicalPythonText(version)
  )
}
