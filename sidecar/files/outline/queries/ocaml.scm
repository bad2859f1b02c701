(module_definition (module_binding (module_name) @name module_type: (signature) @body)) @definition.module
(module_definition (module_binding (module_name) @name body: (_)? @body)) @definition.module
(module_type_definition (module_type_name) @name) @definition.interface
(class_definition (class_binding (class_name) @name) @definition.class)
(class_type_definition (class_type_binding (class_type_name) @name) @definition.class)
(method_definition (method_name) @name) @definition.method
(method_specification (method_name) @name) @definition.method
(type_definition (type_binding name: (type_constructor) @name) @definition.type)
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.exception
(constructor_declaration (constructor_name) @name) @definition.case
(tag_specification (tag) @name) @definition.case
(field_declaration (field_name) @name) @definition.field
(value_definition (let_binding pattern: (value_name) @name (parameter) body: (_) @body) @definition.function)
(value_definition (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)] @body)
  @definition.function)
(value_definition (let_binding pattern: (parenthesized_operator (_) @name) body: (_)? @body) @definition.function)
(value_definition (let_binding pattern: (value_name) @name) @definition.constant)
(value_definition (let_binding pattern: (tuple_pattern (value_name) @name)) @definition.constant)
(value_specification (value_name) @name) @definition.function
(value_specification (parenthesized_operator (_) @name)) @definition.function
(external (value_name) @name) @definition.function

(open_module module: (_) @import)
(include_module module: (module_path) @import)
