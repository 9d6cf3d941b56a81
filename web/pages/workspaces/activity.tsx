import { listWorkspaceEvents } from '#features/notifications/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import { PageHead, Pager } from '../../components/index.ts'
import { withQuery, workspacePath } from '../../paths.ts'
import { page } from '../../site.ts'
import { EventList, KindFilter, kindOf, typesOf } from '../repos/event-list.tsx'
import { WorkspaceFrame, type WorkspaceSummary } from './frame.tsx'
import { t } from '../../text.ts'

export const workspaceActivityPage = page({
  path: '/:workspace/-/activity',
  load: async (visit) => {
    const slug = visit.params.workspace ?? ''
    const before = visit.url.searchParams.get('before')
    const types = typesOf(visit)
    const record = await visit.tryCall(getWorkspace, { workspace: slug })
    const events = await visit.call(listWorkspaceEvents, {
      workspace: slug,
      ...(types ? { types } : {}),
      ...(before ? { before } : {}),
      per_page: 50,
    })
    // Others see the activity of its public repositories. Without any, the workspace does not exist
    // for them.
    if (!record && types === undefined && before === null && events.items.length === 0) return null
    const workspace: WorkspaceSummary = record ?? {
      slug,
      name: slug,
      description: '',
      role: null,
      member_count: null,
    }
    return { workspace, events, before }
  },
  view: ({ workspace, events, before }, visit) => {
    const here = workspacePath(workspace.slug, 'activity')
    const kind = kindOf(visit)
    return (
      <WorkspaceFrame
        visit={visit}
        workspace={workspace}
        title={t('Activity · {name}', { name: workspace.name })}
        current="activity"
      >
        <PageHead title={t('Activity')} />
        <KindFilter visit={visit} here={here} />
        <EventList
          events={events.items}
          withRepo
          empty={kind === undefined ? t('Nothing has happened yet') : t('No events of this kind')}
        />
        <Pager
          newer={before ? withQuery(here, { kind }) : null}
          older={events.next === null ? null : withQuery(here, { kind, before: events.next })}
          label={t('Events')}
        />
      </WorkspaceFrame>
    )
  },
})
