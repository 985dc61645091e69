import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { useNotices } from '../components/notices.tsx'
import { useRestoredFocus } from '../shell/restored-focus.ts'
import { shellTexts } from '../texts/shell.ts'
import { useApi } from './session.ts'

type Options<Input, Output> = {
  /** Paths to load again afterwards. */
  refreshes?: string[]
  /** The notice on success. */
  notice?: string | ((output: Output, input: Input) => string)
  /** Offered in the notice, as long as the service can restore what was deleted. */
  undo?: (input: Input) => Promise<unknown>
  onSuccess?: (output: Output, input: Input) => void | Promise<void>
  /** False where the screen shows the error itself. */
  showsError?: boolean
}

/** Runs an action of the user, shows the result and reloads lists. */
export function useAction<Output, Input = void>(
  run: (input: Input) => Promise<Output>,
  { refreshes = [], notice, undo, onSuccess, showsError = true }: Options<Input, Output> = {},
): UseMutationResult<Output, Error, Input> {
  const api = useApi()
  const notices = useNotices()
  const started = useRef(new Set<string>())
  const action = useMutation<Output, Error, Input>({
    mutationFn: run,
    onSuccess: async (output, input) => {
      await api.refresh(...refreshes)
      const restore = async () => {
        await undo?.(input)
        await api.refresh(...refreshes)
        notices.success(shellTexts.restored)
      }
      const text = typeof notice === 'function' ? notice(output, input) : notice
      if (text) notices.success(text, undo && (() => restore().catch(notices.error)))
      await onSuccess?.(output, input)
    },
    onError: (error) => {
      if (showsError) notices.error(error)
    },
    onSettled: (_output, _error, input) => {
      started.current.delete(keyOf(input))
    },
  })
  useRestoredFocus(action.isPending)
  // A second click can come before the button is disabled.
  const mutate: typeof action.mutate = (...call) => {
    const key = keyOf(call[0])
    if (started.current.has(key)) return
    started.current.add(key)
    action.mutate(...call)
  }
  return { ...action, mutate }
}

function keyOf(input: unknown): string {
  return JSON.stringify(input) ?? ''
}
