import type { ReactNode } from 'react'
import { ButtonLink } from '../../../components/links.tsx'
import { useWorkspace } from '../../../service/session.ts'
import { jobTexts } from '../../../texts/jobs.ts'
import type { JobSearch, Warning } from '../types.ts'

const texts = jobTexts.warnings.open
const look = { variant: 'default', size: 'xs' } as const

/** Opens what a warning is about; nothing if that is this job. */
export function SubjectLink({ warning, jobId }: { warning: Warning; jobId: string }) {
  const { id: workspaceId } = useWorkspace()
  const { subject } = warning
  if (!subject) return null
  switch (subject.kind) {
    case 'setting':
    case 'source':
    case 'destination': {
      const kind = subject.kind === 'destination' ? 'destination' : 'source'
      return (
        <ButtonLink
          {...look}
          to="/w/$workspaceId/connectors/$kind/$connectorId"
          params={{ workspaceId, kind, connectorId: subject.id }}
          hash={subject.kind === 'setting' ? (subject.field ?? '') : ''}
        >
          {texts[subject.kind]}
        </ButtonLink>
      )
    }
    case 'workflow':
      return (
        <ButtonLink
          {...look}
          to="/w/$workspaceId/workflows/$workflowId"
          params={{ workspaceId, workflowId: subject.id }}
        >
          {texts.workflow}
        </ButtonLink>
      )
    case 'documents':
      return (
        <DocumentsLink jobId={subject.id} search={filterOf(subject.field)}>
          {texts.documents}
        </DocumentsLink>
      )
    case 'document':
      return (
        <DocumentsLink jobId={jobId} search={{ document: subject.id }}>
          {texts.documents}
        </DocumentsLink>
      )
    case 'job':
      return subject.id === jobId ? null : (
        <ButtonLink {...look} to="/w/$workspaceId/jobs/$jobId" params={{ workspaceId, jobId: subject.id }}>
          {texts.job}
        </ButtonLink>
      )
  }
}

type DocumentsLinkProps = { jobId: string; search: JobSearch; children: ReactNode }

/** The documents of the job that a filter selects. */
export function DocumentsLink({ jobId, search, children }: DocumentsLinkProps) {
  const { id: workspaceId } = useWorkspace()
  return (
    <ButtonLink
      {...look}
      to="/w/$workspaceId/jobs/$jobId"
      params={{ workspaceId, jobId }}
      search={{ tab: 'documents', ...search }}
    >
      {children}
    </ButtonLink>
  )
}

/** Documents have errors and warnings, with codes of their own. */
function filterOf(code: string | null): JobSearch {
  if (code === null) return {}
  return Object.hasOwn(jobTexts.errors, code) ? { error: code } : { warning: code }
}
