/** Lock files in TOML: of Cargo, poetry, uv and pdm. */
import { arrayOf, keysOf, objectOf, textOf, textsOf } from '../json-value.ts'
import { parseToml, type FoundPackage, type FoundPackages, type Roots } from './locked-packages.ts'
import { normalPythonName, requirementName } from './python.ts'

/** `name`, `name version` or `name version (source)`. */
const cargoKey = (requirement: string): string => requirement.split(' ').slice(0, 2).join('@')

/** `Cargo.lock`. Packages without a source are those of the workspace. */
export function readCargoLock(text: string): FoundPackages {
  const entries = arrayOf(parseToml(text).package).map(objectOf)
  const packages: FoundPackage[] = []
  const runtime: string[] = []
  for (const { name, version, source, dependencies } of entries) {
    const requires = textsOf(dependencies).map(cargoKey)
    if (source === undefined) runtime.push(...requires)
    else packages.push({ name: textOf(name) ?? '', version: textOf(version) ?? '', requires })
  }
  // Without a workspace of its own the file does not say what is asked for.
  const hasOwn = packages.length < entries.length
  return hasOwn ? { packages, roots: { runtime, development: [] } } : { packages }
}

const namesOf = (requirements: unknown): string[] =>
  textsOf(requirements).flatMap((one) => requirementName(one) ?? [])

/** What `pyproject.toml` asks for, in its own tables and in those of poetry and pdm. */
export function pyprojectRoots(text: string): Roots {
  const toml = parseToml(text)
  const project = objectOf(toml.project)
  const poetry = objectOf(objectOf(toml.tool).poetry)
  const pdm = objectOf(objectOf(toml.tool).pdm)
  const groups = Object.values(objectOf(poetry.group)).flatMap((group) =>
    keysOf(objectOf(group).dependencies),
  )
  const lists = [
    ...Object.values(objectOf(toml['dependency-groups'])),
    ...Object.values(objectOf(pdm['dev-dependencies'])),
  ]
  return {
    runtime: [
      ...namesOf(project.dependencies),
      ...Object.values(objectOf(project['optional-dependencies'])).flatMap(namesOf),
      ...keysOf(poetry.dependencies),
    ].map(normalPythonName),
    development: [...groups, ...keysOf(poetry['dev-dependencies']), ...lists.flatMap(namesOf)].map(
      normalPythonName,
    ),
  }
}

const ELSEWHERE = new Set(['git', 'directory', 'file', 'url'])

/** `poetry.lock`. */
export function readPoetryLock(text: string, pyproject: string | null): FoundPackages {
  const packages = arrayOf(parseToml(text).package).flatMap((value): FoundPackage[] => {
    const entry = objectOf(value)
    if (ELSEWHERE.has(textOf(objectOf(entry.source).type) ?? '')) return []
    return [
      {
        name: normalPythonName(textOf(entry.name) ?? ''),
        version: textOf(entry.version) ?? '',
        ...(entry.category === undefined ? {} : { isDevelopment: entry.category === 'dev' }),
        requires: keysOf(entry.dependencies).map(normalPythonName),
      },
    ]
  })
  return pyproject === null ? { packages } : { packages, roots: pyprojectRoots(pyproject) }
}

const namesIn = (value: unknown): string[] =>
  arrayOf(value).flatMap((one) => textOf(objectOf(one).name) ?? [])

const isOwn = (source: unknown): boolean => {
  const { virtual, editable, directory } = objectOf(source)
  return virtual !== undefined || editable !== undefined || directory !== undefined
}

/** `uv.lock`. The project and its workspaces are packages with a folder as their source. */
export function readUvLock(text: string): FoundPackages {
  const packages: FoundPackage[] = []
  const runtime: string[] = []
  const development: string[] = []
  for (const entry of arrayOf(parseToml(text).package).map(objectOf)) {
    const requires = [
      ...namesIn(entry.dependencies),
      ...Object.values(objectOf(entry['optional-dependencies'])).flatMap(namesIn),
    ]
    if (isOwn(entry.source)) {
      runtime.push(...requires)
      development.push(...Object.values(objectOf(entry['dev-dependencies'])).flatMap(namesIn))
    } else if (objectOf(entry.source).registry !== undefined)
      packages.push({
        name: normalPythonName(textOf(entry.name) ?? ''),
        version: textOf(entry.version) ?? '',
        requires,
      })
  }
  return { packages, roots: { runtime, development } }
}

/** `pdm.lock`. */
export function readPdmLock(text: string, pyproject: string | null): FoundPackages {
  const packages = arrayOf(parseToml(text).package).flatMap((value): FoundPackage[] => {
    const entry = objectOf(value)
    if (entry.git !== undefined || entry.path !== undefined || entry.url !== undefined) return []
    const groups = textsOf(entry.groups)
    return [
      {
        name: normalPythonName(textOf(entry.name) ?? ''),
        version: textOf(entry.version) ?? '',
        ...(groups.length === 0 ? {} : { isDevelopment: !groups.includes('default') }),
        requires: namesOf(entry.dependencies).map(normalPythonName),
      },
    ]
  })
  return pyproject === null ? { packages } : { packages, roots: pyprojectRoots(pyproject) }
}

/** The names in `Pipfile`. */
export function pipfileRoots(text: string): Roots {
  const toml = parseToml(text)
  const names = (part: unknown) => keysOf(part).map(normalPythonName)
  return { runtime: names(toml.packages), development: names(toml['dev-packages']) }
}
