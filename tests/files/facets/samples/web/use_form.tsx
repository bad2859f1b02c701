import { useCallback, useEffect, useRef, useState } from "react";

type Validator<V> = (value: V) => string | null;

export function useForm<V extends Record<string, unknown>>(initial: V, validators: Partial<Record<keyof V, Validator<any>>>) {
  const [values, setValues] = useState(initial);
  const [touched, setTouched] = useState<Partial<Record<keyof V, boolean>>>({});
  const initialRef = useRef(initial);

  useEffect(() => {
    return () => {
      initialRef.current = initial;
    };
  }, [initial]);

  const errors = Object.fromEntries(
    Object.entries(validators).map(([key, check]) => [key, (check as Validator<unknown>)(values[key as keyof V])]),
  );

  const setField = useCallback(<K extends keyof V>(key: K, value: V[K]) => {
    setValues((before) => ({ ...before, [key]: value }));
    setTouched((before) => ({ ...before, [key]: true }));
  }, []);

  const reset = useCallback(() => {
    setValues(initialRef.current);
    setTouched({});
  }, []);

  const visibleErrors = Object.fromEntries(Object.entries(errors).filter(([key, message]) => message && touched[key as keyof V]));

  return { values, errors, visibleErrors, setField, reset, isValid: Object.values(errors).every((message) => message === null) };
}
