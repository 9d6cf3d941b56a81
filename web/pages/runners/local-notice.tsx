// Whether this server runs jobs itself, and what its machine lacks for them.
import { LOCAL_LABELS, type LocalJobs } from '#features/runners/index.ts'
import { Notice } from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { translateMessage } from '../../messages.ts'
import { t } from '../../text.ts'

const GUIDE = '/docs/runners#user-content-jobs-of-this-server'

const GuideLink = () => (
  <p>
    <a href={GUIDE}>{t('What jobs of this server need')}</a>
  </p>
)

export const LocalNotice = ({ local }: { local: LocalJobs }): Html => {
  if (local.kind === 'off')
    return (
      <Notice title={t('Jobs run on runners only')}>
        {t('The setting jobs.local of this installation is off.')}
      </Notice>
    )
  if (local.kind === 'missing')
    return (
      <Notice kind="bad" title={t('This server cannot run jobs')}>
        <p>{t('It cannot isolate them: {reason}.', { reason: translateMessage(local.reason) })}</p>
        <p>{t('Jobs wait until that is there, or a runner with their labels.')}</p>
        <GuideLink />
      </Notice>
    )
  const { kind, noNetwork, noContainers, areContainersRoot } = local
  const isWhole = kind === 'isolated' && noNetwork === null && noContainers === null
  return (
    <Notice kind={isWhole ? 'info' : 'wait'} title={t('This server runs jobs too')}>
      <p>
        {t('It takes jobs with the labels {labels}, and with ubuntu-latest and its like.', {
          labels: LOCAL_LABELS.join(', '),
        })}
      </p>
      {kind === 'unprotected' && (
        <p>
          {t(
            'Jobs have the rights of this server, because checks.isolation is none. Changes by people without Write wait for another runner.',
          )}
        </p>
      )}
      {noNetwork !== null && (
        <p>{t('Jobs have no network: {reason}.', { reason: translateMessage(noNetwork) })}</p>
      )}
      {noContainers !== null && (
        <p>{t('Jobs have no containers: {reason}.', { reason: translateMessage(noContainers) })}</p>
      )}
      {areContainersRoot && (
        <p>
          {t(
            'Containers of jobs are those of Docker: their root is root of this machine, or one user for all jobs with userns-remap.',
          )}
        </p>
      )}
      {(!isWhole || areContainersRoot) && <GuideLink />}
    </Notice>
  )
}
