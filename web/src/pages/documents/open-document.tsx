import { useNavigate } from '@tanstack/react-router'
import { PageHeader } from '../../components/page-header.tsx'
import { useWorkspace } from '../../service/session.ts'
import { documentTexts } from '../../texts/documents.ts'
import { FindDocument } from '../lab/find-document.tsx'

const texts = documentTexts.open

/** The screen without a document. */
export function OpenDocument() {
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <OpenForm />
    </>
  )
}

export function OpenForm() {
  const { id: workspaceId } = useWorkspace()
  const navigate = useNavigate()
  return (
    <FindDocument
      action={texts.action}
      onFind={(record) =>
        navigate({ to: '/w/$workspaceId/documents', params: { workspaceId }, search: { record } })
      }
    />
  )
}
