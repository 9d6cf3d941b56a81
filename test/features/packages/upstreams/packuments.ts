/** Packages of npm in the registry of a test. */
import { digestOf, type startRegistry } from './fixture.ts'

export const TARBALL = 'x'.repeat(5000)

/** A package with the version 1.0.0, whose `dist` may be changed. */
export function publishThere(
  { registry }: { registry: ReturnType<typeof startRegistry> },
  name: string,
  dist: object = {},
): void {
  const tarball = `${registry.url}/${name}/-/${name}-1.0.0.tgz`
  registry.set(`/${name}`, {
    name,
    'dist-tags': { latest: '1.0.0' },
    time: { '1.0.0': '2020-01-01T00:00:00.000Z' },
    versions: {
      '1.0.0': {
        name,
        version: '1.0.0',
        dist: { tarball, shasum: digestOf('sha1', TARBALL), ...dist },
      },
    },
  })
  registry.set(`/${name}/-/${name}-1.0.0.tgz`, TARBALL)
}
