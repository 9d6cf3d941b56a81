/** Commands and settings for clients, as pages show them. They read nothing. */
import type { Hearth } from '#core/hearth.ts'
import type { Snippet } from './format.ts'
import { FORMATS, formatOf } from './formats/index.ts'
import type { Package, PackageType } from './schema.ts'

export type ShownVersion = {
  /** Null while nothing is published. */
  readonly version: string | null
  readonly path?: string | null | undefined
  readonly artifact_type?: string | null | undefined
}

/** How to install a package with each client. */
export const installSnippets = (
  { settings }: Pick<Hearth, 'settings'>,
  { package_type, workspace, name, visibility }: Package,
  { version, path = null, artifact_type = null }: ShownVersion,
): readonly Snippet[] =>
  formatOf(package_type)?.install({
    site_url: settings.site_url,
    workspace,
    name,
    version,
    path,
    artifact_type,
    isPrivate: visibility === 'private',
  }) ?? []

export type PublishingSteps = {
  readonly type: PackageType
  readonly address: string
  readonly snippets: readonly Snippet[]
}

/** How to publish the first package of each type into a workspace. */
export const publishingSteps = (
  { settings: { site_url } }: Pick<Hearth, 'settings'>,
  workspace: string,
): PublishingSteps[] =>
  FORMATS.map((format) => {
    const name = format.exampleName(workspace)
    return {
      type: format.type,
      address: format.address(site_url, workspace, name),
      snippets: format.publish({
        ...{ site_url, workspace, name },
        ...{ version: null, path: null, artifact_type: null, isPrivate: true },
      }),
    }
  })
