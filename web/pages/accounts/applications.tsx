import { listApplications, revokeApplication, type Application } from '#features/oauth/index.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/card.tsx'
import { ActionButton } from '../../components/form.tsx'
import { List, Row } from '../../components/rows.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { action, redirectWithFlash, page } from '../../site.ts'
import { loadPage, RowSteps } from '../row-form.tsx'
import { SettingsFrame } from './settings-frame.tsx'
import { rich, t } from '../../text.ts'

const PER_PAGE = 50

const ApplicationRow = ({ application, csrf }: { application: Application; csrf: string }) => (
  <Row
    title={
      <>
        <strong>{application.name}</strong> <code>{application.host}</code>
      </>
    }
    meta={
      <>
        {application.url !== null && <span>{application.url}</span>}
        <span>
          {application.scopes === null ? t('Full rights') : application.scopes.join(', ')}
        </span>
        <span>
          {rich('Approved {time}', { time: <RelativeTime at={application.approved_at} /> })}
        </span>
        <span>
          {application.last_used_at === null
            ? t('Never used')
            : rich('Last used {time}', { time: <RelativeTime at={application.last_used_at} /> })}
        </span>
      </>
    }
    end={
      <ActionButton
        action="/settings/applications/revoke"
        csrf={csrf}
        values={{ id: application.id }}
      >
        <Button small variant="danger">
          {t('Revoke')}
        </Button>
      </ActionButton>
    }
  />
)

export const applicationsPage = page({
  path: '/settings/applications',
  load: (visit) =>
    loadPage(visit, (page) => visit.call(listApplications, { page, per_page: PER_PAGE })),
  view: (list, visit) => (
    <SettingsFrame
      visit={visit}
      title={t('Applications')}
      current="applications"
      lead={t('Applications that can access your account. Revoking ends their access at once.')}
    >
      {list.items.length === 0 ? (
        <EmptyState icon="shield" title={t('No applications yet')}>
          {t('An agent or tool that signs in with this forge appears here once you approve it.')}
        </EmptyState>
      ) : (
        <List label={t('Your applications')}>
          {list.items.map((application) => (
            <ApplicationRow application={application} csrf={visit.csrf} />
          ))}
        </List>
      )}
      <RowSteps list={list} here="/settings/applications" label={t('Pages of applications')} />
    </SettingsFrame>
  ),
})

export const revokeApplicationForm = action({
  path: '/settings/applications/revoke',
  submit: async (visit, fields) => {
    await visit.call(revokeApplication, { id: fields.text('id') })
    return redirectWithFlash(visit, '/settings/applications', 'application-revoked')
  },
})
