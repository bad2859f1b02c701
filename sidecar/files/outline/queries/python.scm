(decorated_definition (decorator) @_mark definition: (function_definition name: (_) @name)
  (#seen? @_mark "\\.(?:setter|deleter)$")) @ignored
(class_definition name: (_) @name superclasses: (_) @_bases body: (block . (comment)* . (expression_statement . (string) @docstring)?) @body
  (#seen? @_bases "\\b(?:Int|Str)?(?:Enum|Flag)\\b")) @definition.enum
(class_definition name: (_) @name body: (block . (comment)* . (expression_statement . (string) @docstring)?) @body) @definition.class
(class_definition body: (block (decorated_definition (decorator) @_mark definition: (function_definition name: (_) @name
  body: (block . (comment)* . (expression_statement . (string) @docstring)?) @body) @definition.property))
  (#seen? @_mark "^@(?:(?:functools\\.)?cached_property|(?:abc\\.abstract)?property)$"))
(function_definition name: (_) @name body: (block . (comment)* . (expression_statement . (string) @docstring)?) @body) @definition.function

(module (expression_statement (assignment left: (identifier) @name) (#among? @name "__all__"))) @ignored
((module (expression_statement (assignment left: (identifier) @name right: (assignment)) @definition.variable)) (#set! open ""))
((assignment right: (assignment left: (identifier) @name) @definition.variable) (#set! open ""))
(module (expression_statement (assignment left: (identifier) @name type: (_) @_type) @definition.type) (#seen? @_type "TypeAlias$"))
(class_definition superclasses: (_) @_bases body: (block (expression_statement (assignment left: (identifier) @name !type) @definition.case))
  (#seen? @_bases "\\b(?:Int|Str)?(?:Enum|Flag)\\b") (#seen? @name "^[^_]"))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @definition.field)))
(module (expression_statement (assignment left: (identifier) @name) @definition.variable))
(module (_ (block (expression_statement (assignment left: (identifier) @name) @definition.variable))))
(module (_ (_ (block (expression_statement (assignment left: (identifier) @name) @definition.variable)))))
((module (_ (block (expression_statement (assignment left: [(pattern_list (identifier) @name) (tuple_pattern (identifier) @name)]) @definition.variable))))
  (#set! signature "{name}"))
((module (expression_statement (assignment left: [(pattern_list (identifier) @name) (tuple_pattern (identifier) @name)]) @definition.variable))
  (#set! signature "{name}"))
(type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @definition.type

((module (if_statement condition: (_) @_condition) @local)
  (#seen? @_condition "__name__\\s*==\\s*['\"]__main__['\"]|['\"]__main__['\"]\\s*==\\s*__name__") (#set! entry "if __name__ == \"__main__\""))
[(for_statement) (while_statement) (match_statement)] @local
(module . (comment)* . (expression_statement . (string) @doc_inside))
(expression_statement (_ left: (identifier) @_all right: [(list (string (string_content) @export)) (tuple (string (string_content) @export))]) (#among? @_all "__all__"))

(import_statement name: [(dotted_name) @import (aliased_import name: (_) @import)])
(import_from_statement module_name: [(dotted_name) (relative_import (dotted_name))] @import)
(import_from_statement module_name: [(dotted_name) (relative_import (dotted_name))] @import
  name: [(dotted_name) @import @_part (aliased_import name: (_) @import @_part)] (#seen? @_part "^[^A-Z]"))
((import_from_statement module_name: (relative_import (import_prefix) @import .)
  name: [(dotted_name) @import (aliased_import name: (_) @import)]) (#set! joint ""))
(import_from_statement module_name: (relative_import (import_prefix) @import .) (wildcard_import))
