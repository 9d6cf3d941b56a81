/** Package URLs (https://github.com/package-url/purl-spec). */
import type { Ecosystem } from './locked-packages.ts'

const encode = (text: string): string => encodeURIComponent(text).replaceAll('%3A', ':')

/** The parts of a name that stand before its last part. */
function splitName(ecosystem: Ecosystem, name: string): { namespace: string[]; name: string } {
  const parts = name.split(ecosystem === 'maven' ? ':' : '/')
  return { namespace: parts.slice(0, -1), name: parts.at(-1) ?? '' }
}

export function packageUrl(ecosystem: Ecosystem, fullName: string, version: string): string {
  const { namespace, name } = splitName(ecosystem, fullName)
  const path = [...namespace, name].map(encode).join('/')
  const isGo = ecosystem === 'golang' && name !== 'stdlib'
  return `pkg:${ecosystem}/${path}@${encode(isGo ? `v${version}` : version)}`
}
