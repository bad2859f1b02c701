(function_statement (function_name) @name (script_block)? @body) @definition.function
(function_statement . (function_name) . (comment) @doc_inside)
(script_block . (comment) @doc_inside)
(class_statement . (simple_name) @name @head) @definition.class
(class_property_definition (variable) @name) @definition.property
(class_method_definition (simple_name) @name (script_block)? @body) @definition.method
(enum_statement . (simple_name) @name @head) @definition.enum
(enum_member (simple_name) @name) @definition.case

(command command_name: (command_name) @_word command_elements: (command_elements (_) . (_) @import)
  (#among? @_word "Import-Module" "import-module" "using"))
(command (command_invokation_operator) @_dot command_name: (_) @import (#among? @_dot "."))
