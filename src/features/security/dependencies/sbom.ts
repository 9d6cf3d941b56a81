/** What both formats of a bill of materials are made of. */
import { packageUrl } from '#lib/lock-files/package-url.ts'
import type { Timestamp } from '#lib/time.ts'
import type { Oid } from '#git'
import type { LockFile } from './lock-files.ts'

export const SBOM_FORMATS = ['spdx', 'cyclonedx'] as const

/** A package with the lock files that have it. */
export type Component = {
  readonly purl: string
  readonly name: string
  readonly version: string
  readonly license: string | null
  isDevelopment: boolean
  isDirect: boolean
  readonly manifests: string[]
  /** The package URLs of what it needs. */
  readonly requires: Set<string>
}

export type SbomSubject = {
  readonly full_name: string
  readonly url: string
  readonly commit: Oid
  readonly committed_at: Timestamp
  /** The program that writes it, with its version. */
  readonly tool: { readonly name: string; readonly version: string }
}

/** The packages of all lock files, each version once. */
export function componentsOf(files: readonly LockFile[]): Component[] {
  const components = new Map<string, Component>()
  for (const { path, ecosystem, packages } of files) {
    if (ecosystem === null) continue
    const purls = packages.map(({ name, version }) => packageUrl(ecosystem, name, version))
    packages.forEach((found, at) => {
      const purl = purls[at] ?? ''
      const known = components.get(purl)
      const component = known ?? {
        purl,
        name: found.name,
        version: found.version,
        license: found.license,
        isDevelopment: found.isDevelopment,
        isDirect: false,
        manifests: [],
        requires: new Set<string>(),
      }
      component.isDevelopment &&= found.isDevelopment
      // Where the files do not say, the project counts as the one that asks.
      component.isDirect ||= found.isDirect !== false
      if (component.manifests.at(-1) !== path) component.manifests.push(path)
      for (const needed of found.requires) component.requires.add(purls[needed] ?? purl)
      component.requires.delete(purl)
      components.set(purl, component)
    })
  }
  return [...components.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1))
}

/** An identifier of SPDX, or several with `AND`, `OR` and brackets, as far as a text shows it. */
const EXPRESSION = /^[A-Za-z0-9.+() -]{1,200}$/

/** The license as an expression; null for text that is none, such as `SEE LICENSE IN file`. */
export const licenseExpression = (license: string | null): string | null => {
  if (license === null || !EXPRESSION.test(license)) return null
  const words = license.replace(/[()]/g, ' ').trim().split(/\s+/)
  const isAlternating = words.every((word, at) =>
    at % 2 === 1 ? /^(?:AND|OR|WITH)$/.test(word) : KNOWN_LICENSES.has(word),
  )
  return words.length % 2 === 1 && isAlternating ? license : null
}

/** Identifiers that packages use most (https://spdx.org/licenses). Others are told as text. */
const KNOWN_LICENSES = new Set(
  `0BSD AFL-2.1 AFL-3.0 AGPL-3.0 AGPL-3.0-only AGPL-3.0-or-later Apache-1.1 Apache-2.0 Artistic-1.0
   Artistic-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause BSD-4-Clause BSL-1.0 CC-BY-3.0 CC-BY-4.0
   CC-BY-SA-4.0 CC0-1.0 CDDL-1.0 CDDL-1.1 EPL-1.0 EPL-2.0 EUPL-1.2 GPL-2.0 GPL-2.0-only
   GPL-2.0-or-later GPL-3.0 GPL-3.0-only GPL-3.0-or-later ISC LGPL-2.0-only LGPL-2.1 LGPL-2.1-only
   LGPL-2.1-or-later LGPL-3.0 LGPL-3.0-only LGPL-3.0-or-later MIT MIT-0 MPL-1.1 MPL-2.0 MS-PL OFL-1.1
   PHP-3.01 PostgreSQL PSF-2.0 Python-2.0 Ruby Unicode-3.0 Unicode-DFS-2016 Unlicense UPL-1.0 W3C WTFPL
   Zlib ZPL-2.1`
    .trim()
    .split(/\s+/),
)
