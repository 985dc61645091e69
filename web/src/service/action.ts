import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { useNotices } from '../components/notices.tsx'
import { useKeptFocus } from '../shell/kept-focus.ts'
import { useApi } from './session.ts'

type Options<Input, Output> = {
  /** Paths to load again afterwards. */
  refreshes?: string[]
  /** The notice on success. */
  says?: string | ((output: Output, input: Input) => string)
  afterwards?: (output: Output, input: Input) => void | Promise<void>
  /** False where the screen shows the error itself. */
  showsError?: boolean
}

/** An action of the user: runs, reports and reloads lists. */
export function useAction<Output, Input = void>(
  run: (input: Input) => Promise<Output>,
  { refreshes = [], says, afterwards, showsError = true }: Options<Input, Output> = {},
): UseMutationResult<Output, Error, Input> {
  const api = useApi()
  const notices = useNotices()
  const action = useMutation<Output, Error, Input>({
    mutationFn: run,
    onSuccess: async (output, input) => {
      await api.refresh(...refreshes)
      if (says) notices.good(typeof says === 'string' ? says : says(output, input))
      await afterwards?.(output, input)
    },
    onError: (error) => {
      if (showsError) notices.bad(error)
    },
  })
  useKeptFocus(action.isPending)
  return action
}
