/** Requirements of pip, and `Pipfile.lock`. */
import { objectOf, textOf } from '../json-value.ts'
import { parseJson, type FoundPackage, type FoundPackages, type Roots } from './locked-packages.ts'

/** PEP 503: runs of `-`, `_` and `.` are one `-`. */
export const normalPythonName = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-')

const NAME = /^\s*([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)/
/** The name of a requirement (PEP 508). */
export const requirementName = (requirement: string): string | null =>
  NAME.exec(requirement)?.[1] ?? null

/** `name[extras]==1.0`, which names one version; null for anything else. */
function pinned(requirement: string): { name: string; version: string } | null {
  const name = requirementName(requirement)
  if (name === null) return null
  let rest = requirement.slice(name.length).trimStart()
  if (rest.startsWith('[')) rest = rest.slice(rest.indexOf(']') + 1).trimStart()
  if (rest.startsWith('(')) rest = rest.slice(1).trimStart()
  const [whole = '', version] = /^={2,3}\s*([\w.!+-]+)/.exec(rest) ?? []
  // `==1.*` is a range.
  return version === undefined || rest[whole.length] === '*' ? null : { name, version }
}

/** `requirements.txt`: only what is pinned has a version. */
export function readRequirements(text: string): FoundPackages {
  // A backslash goes on in the next line.
  const lines = text.replace(/\\\r?\n/g, ' ').split(/\r?\n/)
  const packages = lines.flatMap((line): FoundPackage[] => {
    const [requirement = ''] = line.trim().split(/(?:^|\s)#/)
    const found = pinned(requirement)
    if (found === null) return []
    return [{ name: normalPythonName(found.name), version: found.version, isDirect: true }]
  })
  return { packages }
}

export function readPipfileLock(text: string, roots: Roots | null): FoundPackages {
  const json = parseJson(text)
  const section = (name: 'default' | 'develop') =>
    Object.entries(objectOf(json[name])).flatMap(([written, value]): FoundPackage[] => {
      const version = /^===?\s*(\S+)$/.exec(textOf(objectOf(value).version) ?? '')?.[1]
      if (version === undefined) return []
      const isDevelopment = name === 'develop'
      return [{ name: normalPythonName(written), version, isDevelopment }]
    })
  const packages = [...section('default'), ...section('develop')]
  return roots === null ? { packages } : { packages, roots }
}
