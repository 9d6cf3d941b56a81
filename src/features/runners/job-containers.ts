/** Whether jobs of this process have containers, by the settings and what the machine offers. */
import { runnerOf } from '#features/checks/index.ts'
import type { Hearth } from '#core/hearth.ts'
import { outboundClient } from '#core/outbound.ts'
import { noContainers, type ContainerAccess } from './execute/job-input.ts'

/** Why jobs have no containers although the settings want them to; null when they do, or need not. */
export const containersFaultOf = async (hearth: Hearth): Promise<string | null> =>
  hearth.settings.jobs.containers === 'none' ? null : runnerOf(hearth).containersFault()

/** Changes by people without Write never have any. */
export async function containerAccess(
  hearth: Hearth,
  { isTrusted }: { readonly isTrusted: boolean },
): Promise<ContainerAccess> {
  if (hearth.settings.jobs.containers === 'none')
    return noContainers(
      'this one has none; an administrator gives it those of podman or Docker with jobs.containers, or adds a runner elsewhere',
    )
  if (!isTrusted) return noContainers('this one has none for changes by people without Write')
  const fault = await containersFaultOf(hearth)
  return fault === null
    ? { whyNot: null, findRegistry: (host, port) => findRegistry(hearth, host, port) }
    : noContainers(fault)
}

/** Images come from this forge, and from where other outbound requests may go. */
async function findRegistry(hearth: Hearth, host: string, port: number): Promise<string> {
  const url = new URL(`https://${host}:${port}`)
  if (url.origin === new URL(hearth.settings.site_url).origin) return host
  return (await outboundClient(hearth).checkAddress(url)).address
}
