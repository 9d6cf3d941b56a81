/** Events of releases. Names and data are part of the public interface. */
import { event } from '#core/events.ts'
import { Id, Type } from '#core/schema.ts'

export const releasePublished = event(
  'release.published',
  Type.Object({
    release: Id('rel'),
    tag_name: Type.String(),
    name: Type.String(),
    prerelease: Type.Boolean(),
  }),
  ({ name, tag_name, prerelease }, by) =>
    `${by} published the ${prerelease ? 'prerelease' : 'release'} ${name === tag_name ? name : `${name} (${tag_name})`}`,
)

export const events = [releasePublished]
