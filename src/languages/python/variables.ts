import { MAX_VARIABLE_TEXT, MAX_VARIABLES } from '../languageDefinition.ts';

/** Prints the variables of a session. Runs no code of the session: it looks at types of Python itself, and at shapes of pandas and NumPy. */
export const PYTHON_VARIABLES = `
def _look():
    import json
    plain = (int, float, complex, bool, str, bytes, type(None))
    sized = (list, tuple, dict, set, frozenset)
    found = []
    # Those of IPython with the texts and values of cells.
    given = [globals()[name] for name in ('_ih', '_oh') if name in globals()]
    for name, value in sorted(globals().copy().items()):
        kind = type(value)
        if name.startswith('_') or kind.__name__ in ('module', 'function', 'method', 'type', 'builtin_function_or_method'):
            continue
        if any(value is one for one in given):
            continue
        text = None
        if kind is int and value.bit_length() > 2000:
            text = f'{value.bit_length()} bits'
        elif kind in (str, bytes):
            text = repr(value[:${MAX_VARIABLE_TEXT}])
        elif kind in plain:
            text = repr(value)
        elif kind in sized:
            text = f'{len(value)} items'
        elif kind.__module__.split('.')[0] in ('pandas', 'numpy') and hasattr(value, 'shape'):
            text = ' x '.join(map(str, value.shape))
        found.append([name[:${MAX_VARIABLE_TEXT}], kind.__name__[:${MAX_VARIABLE_TEXT}], text and text[:${MAX_VARIABLE_TEXT}]])
        if len(found) == ${MAX_VARIABLES}:
            break
    print(json.dumps(found))
_look()
`;
