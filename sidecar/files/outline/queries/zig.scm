; A function that returns a type counts as that type and has its members.
(function_declaration name: (identifier) @name type: (builtin_type) @_type
  body: (block (expression_statement (return_expression (_) @_made))) @body
  (#among? @_type "type")) @definition.type
(function_declaration name: (identifier) @name) @definition.function
(variable_declaration (identifier) @name . (struct_declaration) @body) @definition.struct
(variable_declaration (identifier) @name . (enum_declaration) @body) @definition.enum
(variable_declaration (identifier) @name . (union_declaration) @body) @definition.union
(variable_declaration (identifier) @name . [(opaque_declaration) (error_set_declaration)] @body) @definition.type
(variable_declaration (identifier) @name (builtin_function (builtin_identifier) @_word) (#among? @_word "@import")) @ignored
(variable_declaration . ["pub" "export" "extern" "threadlocal" "const" "var" "comptime"]* . (identifier) @name)
  @definition.constant
(variable_declaration . ["pub" "export" "extern" "threadlocal" "const" "var" "comptime" (string)]* . (identifier) @name)
  @definition.constant
(container_field name: (identifier) @name) @definition.field
(test_declaration [(string (string_content) @name) (identifier) @name] (block) @body) @definition.test

(builtin_function (builtin_identifier) @_word (arguments (string (string_content) @import)) (#among? @_word "@import"))
